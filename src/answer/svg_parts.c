#include "answer/svg_parts.h"

#include <math.h>

#include "answer/xml.h"

void svg_style(FILE *file)
{
    fputs("<style>"
          "text{font-family:system-ui,'DejaVu Sans','Liberation Sans',sans-serif;fill:#243447}"
          ".page{font-size:20px;font-weight:600}.about{font-size:13px;fill:#5b6b7b}"
          ".title{font-size:15px;font-weight:600}.label{font-size:12px;fill:#5b6b7b}"
          ".tick{font-size:11px;fill:#5b6b7b}.grid{stroke:#e3e8ee;stroke-width:1}"
          ".axis{stroke:#8a99a8;stroke-width:1}.bar{fill:#2f7ebc}.bar:hover{fill:#e07b39}"
          ".card{fill:#fff;stroke:#d9e0e7}"
          ".area{fill:#9fc6e6;stroke:#2f7ebc;stroke-width:1.2}"
          ".whole{fill:none;stroke:#8a99a8;stroke-width:1.2;stroke-dasharray:4 3}"
          ".rate{fill:#8a6fb0}.peak{stroke:#c0392b;stroke-width:1;stroke-dasharray:3 3}"
          ".dot{fill:#c0392b}.bound{stroke:#c0392b;stroke-width:2}"
          ".band{fill:#2f7ebc;fill-opacity:.35;stroke:none}</style>\n",
          file);
}

double svg_tick_step(double span, int ticks)
{
    double raw = span / ticks, power = pow(10, floor(log10(raw)));
    double part = raw / power;
    return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

void svg_text(FILE *file, const char *class, double x, double y, const char *more, const char *text)
{
    fprintf(file, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" %s>", class, x, y, more);
    xml_put_plain(file, text);
    fputs("</text>\n", file);
}
