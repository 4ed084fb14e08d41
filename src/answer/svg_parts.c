#include "answer/svg_parts.h"

#include <math.h>

#include "answer/xml.h"

/* The colours of the page in its light theme (src/page/ui/src/theme.ts). */
void svg_style(FILE *file)
{
    fputs("<style>"
          "text{font-family:system-ui,'DejaVu Sans','Liberation Sans',sans-serif;fill:#1d1b18}"
          ".page{font-size:20px;font-weight:600}.about{font-size:13px;fill:#5f5a52}"
          ".title{font-size:15px;font-weight:600}.label{font-size:12px;fill:#5f5a52}"
          ".tick{font-size:11px;fill:#5f5a52}.grid{stroke:#e6e0d6;stroke-width:1}"
          ".axis{stroke:#5f5a52;stroke-width:1}.bar{fill:#509ea5}.bar:hover{fill:#e77423}"
          ".card{fill:#fff;stroke:#d5cfc5}"
          ".area{fill:#6cceef;stroke:#1d1b18;stroke-width:1.2}"
          ".whole{fill:none;stroke:#5f5a52;stroke-width:1.2;stroke-dasharray:4 3}"
          ".rate{fill:#9575bd}.peak{stroke:#a4430f;stroke-width:1;stroke-dasharray:3 3}"
          ".dot{fill:#a4430f}.bound{stroke:#a4430f;stroke-width:2}"
          ".band{fill:#1d1b18;fill-opacity:.16;stroke:none}</style>\n",
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
