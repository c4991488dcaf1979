import type { Answer } from './stand-ins/serve-locally.ts'
import { testServer } from './test-server.ts'

const magic = {
  jpeg: [0xff, 0xd8, 0xff, 0xe0],
  png: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
} as const

/** Bytes that begin like an image; `shade` tells two of them apart. */
export function imageBytes(
  format: keyof typeof magic = 'jpeg',
  { bytes = 8000, shade = 0 }: { bytes?: number; shade?: number } = {},
): Uint8Array<ArrayBuffer> {
  const content = new Uint8Array(bytes).fill(shade)
  content.set(magic[format])
  return content
}

/** Stands in for the platforms' image servers. Paths without an answer are 404. */
export function imageOrigin() {
  const answers = new Map<string, () => Answer>()
  const requests: { path: string; userAgent: string | null }[] = []
  let active = 0
  let mostActive = 0
  const { url } = testServer(async (request) => {
    const { pathname, search } = new URL(request.url)
    const path = `${pathname}${search}`
    requests.push({ path, userAgent: request.headers.get('user-agent') })
    mostActive = Math.max(mostActive, ++active)
    try {
      return await (answers.get(path)?.() ?? new Response('', { status: 404 }))
    } finally {
      active--
    }
  })
  return {
    url,
    answers,
    requests,
    /** The most requests that were open at the same time. */
    mostActive: () => mostActive,
    /** Settings that point the service here. */
    environment: {
      Images__AlphaBaseUrl: `${url}/alpha`,
      Images__BetaBaseUrl: `${url}/beta`,
      Images__EpsilonBaseUrl: `${url}/epsilon`,
    },
  }
}
