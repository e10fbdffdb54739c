create table models (model_id text, name text, publication_date date, is_notable boolean,
    training_compute_flop double, training_compute_source text, training_run_id text);
-- each is published two months after the one before, which is larger
insert into models select format('m{:02d}', i), format('M{}', i), date '2016-01-12' + 60 * i::int, true,
    1e25 / 1.1 ** i, 'reported', format('m{:02d}', i) from range(34) r(i);
insert into models values
    ('x30', 'Thirtieth', '2020-09-10', true, 2e20, 'reported', 'x30'),  -- twenty-nine are earlier
    ('x31', 'Thirty-first', '2020-12-10', true, 1e20, 'reported', 'x31'),
    ('new', 'New', '2009-12-30', true, 1e15, 'reported', 'new'),
    ('old', 'Old', '2011-12-30', false, 1e16, 'reported', 'old'),
    ('ours', 'Ours', '2017-12-30', true, 1e28, 'imputed', 'ours'),
    ('none', 'None', '2017-12-30', true, null, null, 'none'),
    ('undated', 'Undated', null, true, 1e22, 'reported', 'undated');
create table claims (model_id text, field text, code text, source_id text, reason_code text, reason text);
insert into claims select col0, 'publication_date', col1, col2, 'replaced', col3 from (values
    ('x30', '2022-09-10', 'epoch_notable', 'its paper has the number 2009.1'),
    ('x30', '2023-09-10', 'epoch_all', 'its paper has the number 2009.1'),
    ('x31', '2022-10-10', 'epoch_notable', 'its paper has the number 2012.1'),
    ('m05', '2016-11-01', 'epoch_notable', 'another reason'),
    ('new', '2010-01-05', 'epoch_all', 'its paper has the number 0912.1'),
    ('old', '2013-01-05', 'epoch_all', 'its paper has the number 1112.1'));
