/* The page of heaptap fleet serve, as the build made it of src/page/ui; each text ends with a 0. */
#ifndef FLEET_ASSETS_H
#define FLEET_ASSETS_H

extern const char fleet_page_html[];
extern const char fleet_page_script[];

#endif
