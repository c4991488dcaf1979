/** Lines in the common log format, for tests of log readers. */
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const two = (value: number) => String(value).padStart(2, '0')

export function logTime(seconds: number): string {
  const at = new Date(seconds * 1000)
  const day = `${two(at.getUTCDate())}/${months[at.getUTCMonth()]}/${at.getUTCFullYear()}`
  const time = [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()].map(two).join(':')
  return `${day}:${time} +0000`
}

export interface TestLine {
  at?: number
  tag?: string
  client?: string
  path?: string
  status?: number
  bytes?: number
  cache?: string
  agent?: string
  host?: string
}

export const firstSecond = Date.UTC(2026, 10, 20, 12, 0, 0) / 1000

export function logLine(line: TestLine = {}): string {
  const { at = firstSecond, tag = 'steam', client = '10.0.0.1', status = 200 } = line
  const { path = '/depot/731/chunk/aa', bytes = 100, cache = 'HIT' } = line
  const { agent = 'test', host = 'cdn.example.test' } = line
  return (
    `[${tag}] ${client} / - - - [${logTime(at)}] "GET ${path} HTTP/1.1" ${status} ${bytes} ` +
    `"-" "${agent}" "${cache}" "${host}" "-"\n`
  )
}
