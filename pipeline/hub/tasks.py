"""The tasks by which a hub sorts its models, and the domain of the dataset that each belongs to."""

from __future__ import annotations

from collections.abc import Mapping

TASKS_OF: Mapping[str, tuple[str, ...]] = {
    "Language": (
        "text-generation",
        "feature-extraction",
        "fill-mask",
        "question-answering",
        "sentence-similarity",
        "summarization",
        "text-classification",
        "text-ranking",
        "token-classification",
        "translation",
    ),
    "Multimodal": (
        "any-to-any",
        "audio-text-to-text",
        "image-text-to-text",
        "image-to-text",
        "video-text-to-text",
        "visual-document-retrieval",
        "visual-question-answering",
    ),
    "Image generation": ("image-to-image", "text-to-image", "unconditional-image-generation"),
    "Video": ("image-text-to-video", "image-to-video", "text-to-video", "video-to-video"),
    "Speech": ("automatic-speech-recognition", "text-to-speech"),
    "Audio": ("audio-classification", "audio-to-audio", "text-to-audio"),
    "Vision": (
        "depth-estimation",
        "image-classification",
        "image-feature-extraction",
        "image-segmentation",
        "mask-generation",
        "object-detection",
    ),
    "3D modeling": ("image-to-3d", "text-to-3d"),
    "Robotics": ("robotics",),
}
DOMAIN_OF = {task: domain for domain, tasks in TASKS_OF.items() for task in tasks}
COUNTED_BY_TOKENS = ("Language", "Multimodal", "")  # where tokens seen are what 6·N·D lacks; "" is an unknown task
