"""The names that the manifest of the damaged files has for parts of a payload, and our paths for them."""

from __future__ import annotations

OUR_PATHS = {
    "Res1": {"nodes"},
    "Res2": {"slots", "header"},
    "Res2.slot": {"slots"},
    "Res2.header": {"header"},
    "Res3": {"positions"},
    "Res4": {"normals"},
    "Res5": {"uvs"},
    "Res6": {"indices"},
    "Res7": {"tri_descriptors"},
    "Res8": {"keys"},
    "Res10": {"strings", "strings_tail"},
    "Res13": {"batches"},
    "Res15": {"stream15"},
    "Res18": {"stream18"},
    "Res19": {"frame_map"},
    "NRes.header": {"container"},
    "NRes.directory": {"directory"},
    "RsLi.entry": {"directory"},
    "MAT0.header": {"header"},
    "MAT0.phase": {"phases"},
    "MAT0.anim": {"blocks"},
    "MAT0.block": {"blocks"},
    "MAT0.tail": {"tail"},
    "Texm.header": {"header"},
    "Texm.mip": {"levels"},
    "Texm.Page": {"page_header", "pages", "tail"},
    "Texm.tail": {"tail"},
    "FXID.header": {"header"},
    "FXID.command": {"commands"},
    "FXID.tail": {"tail"},
    "WEAR": {"material_count", "materials"},
    "WEAR.LIGHTMAPS": {"heading", "lightmap_count", "lightmaps"},
}


def our_paths(names: list[str]) -> set[str]:
    """The paths that any of the manifest's names stands for; those that are not listed are the same."""
    return set[str]().union(*(OUR_PATHS.get(name, {name}) for name in names))
