import { deflateSync } from 'node:zlib'

/** As wide and high as Steam's header images. */
const width = 460
const height = 215

type Colour = readonly [red: number, green: number, blue: number]

/** A chunk of a PNG file: length, name, data, checksum (PNG specification, 5.3). */
function chunk(name: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const framed = Buffer.alloc(named.length + 8)
  framed.writeUInt32BE(data.length)
  framed.set(named, 4)
  framed.writeUInt32BE(Bun.hash.crc32(named), named.length + 4)
  return framed
}

/** Full colours around the wheel. */
function colourOf(hue: number): Colour {
  const part = (shift: number) => Math.round(120 + 60 * Math.cos(((hue - shift) / 180) * Math.PI))
  return [part(0), part(120), part(240)]
}

/** Rows of pixels: hills in front of a sky, different for every seed. */
function pixels(seed: number): Buffer {
  const [sky, hill] = [colourOf(seed * 47), colourOf(seed * 47 + 150)]
  const rows = Buffer.alloc(height * (1 + width * 3))
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const ridge =
        120 + 40 * Math.sin((x + seed * 31) / 60) + 14 * Math.sin(x / (20 + (seed % 23)))
      const isSky = y < ridge
      const light = isSky ? 0.35 + (0.5 * y) / height : 1.1 - (0.7 * y) / height
      // A little grain, as in photographs.
      const grain = ((x * 7 + y * 13 + x * y) % 9) - 4
      for (const [band, value] of (isSky ? sky : hill).entries()) {
        rows[y * (1 + width * 3) + 1 + x * 3 + band] = Math.min(255, value * light + grain + 8)
      }
    }
  }
  return rows
}

/** A PNG image that is the same for the same seed. */
export function picture(seed: number): Uint8Array<ArrayBuffer> {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width)
  head.writeUInt32BE(height, 4)
  // Eight bits per channel, RGB.
  head.set([8, 2], 8)
  return new Uint8Array(
    Buffer.concat([
      Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
      chunk('IHDR', head),
      chunk('IDAT', deflateSync(pixels(seed))),
      chunk('IEND', new Uint8Array()),
    ]),
  )
}
