/* Memory of the courier: everything goes through here. */
#include <stddef.h>
void *get_bytes(size_t size);
char *get_text(const char *text);
void put_back(void *bytes);
