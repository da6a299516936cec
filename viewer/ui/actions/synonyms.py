"""Synonyms of actions, by which the command palette finds them too."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from viewer.translation import Text, _

SYNONYMS: Final[Mapping[str, Text]] = MappingProxyType(
    {
        "file.compare": _("difference diff changes versions"),
        "file.copy_image": _("clipboard image"),
        "file.export": _("convert save gltf glb obj json blender"),
        "file.import": _("convert load gltf glb obj json blender"),
        "file.open": _("load model archive unit texture"),
        "file.open_folder": _("load directory game parkan"),
        "file.reload": _("refresh read again"),
        "file.round_trip": _("test export import conversion"),
        "file.save_animation": _("film movie video record webp gif png frames turntable"),
        "file.save_image": _("picture photo snapshot png"),
        "file.save_picture": _("image photo render png large"),
        "file.settings": _("preferences options language theme"),
        "file.textures_to_folder": _("export extract all pictures png images skins"),
        "file.textures_from_folder": _("import replace all pictures png images skins upscale"),
        "file.validate": _("check errors problems lint"),
        "edit.undo": _("revert take back"),
        "edit.repair": _("fix mend correct errors"),
        "edit.move": _("translate position gizmo"),
        "edit.turn": _("rotate rotation gizmo"),
        "help.keys": _("commands shortcuts hotkeys"),
        "help.manual": _("documentation guide"),
        "file.use_overlay": _("overlay unknown fields names meaning"),
        "help.report": _("bug issue zip log"),
        "panel.bytes": _("hex hexadecimal offsets"),
        "panel.curves": _("graph f-curves plot"),
        "panel.dope_sheet": _("keys keyframes tracks"),
        "panel.history": _("undo steps changes"),
        "panel.outline": _("nodes hierarchy tree bones parts"),
        "panel.problems": _("errors warnings diagnostics"),
        "panel.tables": _("rows spreadsheet records"),
        "playback.play": _("start pause stop animation run"),
        "select.back": _("previous return"),
        "select.find": _("search node name"),
        "select.search": _("find text bytes values grep"),
        "select.why_pixel": _("explain pick inspect probe"),
        "view.copy_link": _("share url address"),
        "view.explode": _("explode unit exploded assembly parts"),
        "view.frame_all": _("zoom fit center focus"),
        "view.frame_selection": _("zoom fit center focus"),
        "view.overlay.bones": _("skeleton armature"),
        "view.overlay.trails": _("motion path"),
        "view.restore_camera": _("reset home"),
        "view.shading.wireframe": _("wire lines mesh"),
        "window.parts": _("try on fit socket gun turret unit equip assemble"),
        "file.compare_folders": _("diff install backup differences mod changed"),
        "window.overview": _("list install entries triangles table statistics heaviest"),
        "window.mods": _("modification patch install conflicts apply revert order"),
        "window.make_mod": _("modification patch new create"),
        "window.survey": _("formats open questions report measure install statistics"),
        "view.viewport_only": _("maximize hide panels"),
    }
)
"""Words by the id of the action."""
