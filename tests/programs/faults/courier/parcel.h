struct parcel {
    char *to, *note;
    int weight;
};
struct parcel *parcel_read(const char *line);
void parcel_free(struct parcel *parcel);
