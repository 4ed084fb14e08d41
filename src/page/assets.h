/* The page, as the build made it of src/page/ui; each text ends with a 0.  The hashes are those of a
 * content security policy: "sha256-...". */
#ifndef PAGE_ASSETS_H
#define PAGE_ASSETS_H

extern const char viewer_page_html[];
extern const char viewer_page_script[];
extern const char viewer_page_style[];
extern const char viewer_page_icon[];
extern const char viewer_layout_script[];
extern const char viewer_page_script_sha256[];
extern const char viewer_page_style_sha256[];
extern const char viewer_layout_script_sha256[];

#endif
