// Textures that several models share.
#include <cstdio>
#include <memory>
#include <vector>

struct Texture
{
    int width, height;
    unsigned char corner[40];
    explicit Texture(int size) : width(size), height(size), corner() {}
};

class Model
{
  public:
    explicit Model(std::shared_ptr<Texture> texture) : texture_(std::move(texture)) {}
    int size() const { return texture_->width; }

  private:
    std::shared_ptr<Texture> texture_;
};

int main()
{
    std::vector<Model> models;
    models.reserve(20000);
    for (int i = 0; i < 10000; i++)
    {
        auto texture = std::shared_ptr<Texture>(new Texture(i)); // here: shared-without-make
        models.emplace_back(texture);
        models.emplace_back(texture);
    }
    long sum = 0;
    for (const auto &model : models)
        sum += model.size();
    printf("%ld\n", sum);
}
