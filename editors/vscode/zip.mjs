// Files in a ZIP archive (APPNOTE 6.3.10, without extensions), and out of it again. All have the same time, so that equal files give equal
// archives.

import zlib from 'node:zlib';

const [LOCAL, CENTRAL, END] = [0x04034b50, 0x02014b50, 0x06054b50];
/** 1980-01-01, the first day that archives know. */
const DAY = 0x21;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
  return value;
});

// Node has it from 20.15.
const crc32 = zlib.crc32 ?? ((bytes) => {
  let value = 0xffffffff;
  for (const byte of bytes) value = TABLE[(value ^ byte) & 0xff] ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
});

/** An archive of files: names, with `/`, and contents. */
export function zip(files) {
  const [parts, central] = [[], []];
  let offset = 0;
  for (const [name, bytes] of files) {
    const [spelt, packed] = [Buffer.from(name), zlib.deflateRawSync(bytes, { level: 9 })];
    // Version 2.0, names in UTF-8, deflated.
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(0x0800, 2);
    shared.writeUInt16LE(8, 4);
    shared.writeUInt16LE(DAY, 8);
    shared.writeUInt32LE(crc32(bytes), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(bytes.length, 18);
    shared.writeUInt16LE(spelt.length, 22);
    const signature = (number) => {
      const four = Buffer.alloc(4);
      four.writeUInt32LE(number);
      return four;
    };
    parts.push(signature(LOCAL), shared, spelt, packed);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    central.push(signature(CENTRAL), Buffer.from([20, 0]), shared, rest, spelt);
    offset += 30 + spelt.length + packed.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(END, 0);
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, directory, end]);
}

/** The files of such an archive, by their names. */
export function unzip(archive) {
  const end = archive.length - 22;
  if (archive.readUInt32LE(end) !== END) throw new Error('this is no archive');
  const files = new Map();
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (archive.readUInt32LE(at) !== CENTRAL) throw new Error('the directory of the archive is damaged');
    const [crc, packed, length] = [archive.readUInt32LE(at + 16), archive.readUInt32LE(at + 20), archive.readUInt16LE(at + 28)];
    const name = archive.toString('utf8', at + 46, at + 46 + length);
    const local = archive.readUInt32LE(at + 42);
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const bytes = zlib.inflateRawSync(archive.subarray(start, start + packed));
    if (crc32(bytes) !== crc) throw new Error(`${name} is damaged`);
    files.set(name, bytes);
    at += 46 + length + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return files;
}
