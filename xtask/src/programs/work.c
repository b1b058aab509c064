/* Something of most of C, without a library. */
typedef struct node { struct node *left, *right; long key; double weight; } node;
typedef unsigned char byte;
enum { FEW = 16, MANY = FEW * 64 };
static node nodes[MANY];
static int used;
static const char *const names[] = { "zero", "one", "two", "three" };
#define SQUARE(x) ((x) * (x))
#define EACH(i, n) for (int i = 0; i < (n); i++)

static node *insert(node *at, long key) {
    if (!at) {
        node *new = &nodes[used++];
        new->key = key;
        new->weight = key / 3.0f + 1e-3;
        return new;
    }
    if (key < at->key) at->left = insert(at->left, key);
    else if (key > at->key) at->right = insert(at->right, key);
    return at;
}

static double total(const node *at) { return at ? at->weight + total(at->left) + total(at->right) : 0; }

static unsigned crc(const byte *bytes, unsigned long count) {
    unsigned value = ~0u;
    while (count--) {
        value ^= *bytes++;
        EACH(bit, 8) value = value & 1 ? value >> 1 ^ 0xedb88320u : value >> 1;
    }
    return ~value;
}

union bits { double number; unsigned long word; struct { unsigned low : 20, middle : 12, high : 32; } parts; };

static long switches(int which, long a, long b) {
    switch (which) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return b ? a / b : 0;
    case 4: return b ? a % b : 0;
    case 100: return a << (b & 31);
    default: return SQUARE(a) - SQUARE(b);
    }
}

int main(int count, char **arguments) {
    node *root = 0;
    unsigned long seed = 12345;
    EACH(i, MANY) {
        seed = seed * 6364136223846793005ul + 1442695040888963407ul;
        root = insert(root, (long)(seed >> 40));
    }
    union bits bits = { .number = total(root) };
    long sum = 0;
    EACH(which, 102) sum += switches(which, count, (long)bits.parts.high);
    do { sum ^= sum >> 7; } while (sum > 1000000);
    goto end;
end:
    return (int)(crc((const byte *)names[count & 3], 3) + sum + (arguments != 0 ? (signed char)seed : (short)sum));
}
