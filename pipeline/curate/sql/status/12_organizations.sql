-- title: organisations without a category or a country
-- remedy: add them to schemas/vocab/organizations.yml
SELECT organization, models, category, country FROM organizations WHERE category IS NULL OR country IS NULL
ORDER BY models DESC, organization
