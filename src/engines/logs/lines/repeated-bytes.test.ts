import { expect, test } from 'bun:test'
import { seededRandom } from '../../../demo/random.ts'
import { Line } from './line.ts'
import { parseLine } from './parse-line.ts'

const hint = { tag: null, isFallback: false }
const time = '[20/Nov/2026:21:52:49 +0000]'

function read(line: Line, text: string) {
  const buffer = Buffer.from(text)
  const outcome = parseLine(line, hint, buffer, { from: 0, to: buffer.length })
  if (outcome !== 'parsed') return outcome
  const { timeS, tag, client, status, bytes, cache, isProbe, isPrefill } = line
  const [target, host, range] = [line.target, line.host, line.range].map((span) =>
    buffer.toString('latin1', span.from, span.to),
  )
  const names = { tag: tag.text, client: client.address, target, host, range }
  return { ...names, timeS, status, bytes, cache, isProbe, isPrefill }
}

test('a line with parts of earlier lines is read as if it were the first', () => {
  const random = seededRandom(7)
  const clients = [
    '10.0.0.1',
    '10.0.0.11',
    '2001:db8:1234:5678:9abc:def0:1234:5',
    '2001:db8:1234:5678:9abc:def0:1234:6',
  ]
  const users = ['- - -', '10.0.0.9 - -', '- - [', `- - ${time} "`, `- - ${time}`]
  const agents = ['Valve/Steam HTTP Client 1.0', 'Larder-Prefill', 'Larder-Probe', '-', 'x"y']
  const line = new Line()
  for (let round = 0; round < 3000; round++) {
    const one = (from: readonly string[]) => random.pick(from)
    const beginning = `${one(['[steam] ', '[epicgames] ', '[::1] ', ''])}${one(clients)} / ${one(users)} ${one([time, '[-]'])}`
    const fields = `${one(['"-"', '"http://a/"'])} "${one(agents)}" "${one(['HIT', 'MISS'])}" "${one(['a.example', 'b.example'])}"`
    const end = `${fields} ${one(['"-"', '"bytes=5-9"', '"-', '- "-"'])}`
    const text = `${beginning} "GET /depot/1/chunk/${round} HTTP/1.1" 200 ${round} ${end}`
    expect(read(line, text)).toEqual(read(new Line(), text))
  }
})

test('a client that was forgotten is not taken from an earlier line', () => {
  const line = new Line()
  const text = `[steam] 10.0.0.1 / - - - ${time} "GET / HTTP/1.1" 200 1 "-" "-" "HIT" "a.example" "-"`
  read(line, text)
  const before = line.client
  read(line, text)
  expect(line.client).toBe(before)
  line.forget()
  read(line, text)
  expect(line.client).not.toBe(before)
})
