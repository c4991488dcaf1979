import type { CacheParts } from '../parts.ts'
import type { ObjectRequest } from '../../engines/cache/doctor/doctor-contract.ts'
import { normalisedPath } from '../../engines/cache/format/key-scheme.ts'
import { datasourceNamed } from '../../core/http/datasource-named.ts'
import { AppError } from '../../core/http/errors.ts'

/** Longest URL accepted; nginx refuses longer ones by default. */
export const urlMax = 4000
/** Cache tags searched for an object when none is given. */
const tagsMax = 200

export interface AskedObject {
  datasource: string
  /** Full URL, or path as requested. */
  url: string
  /** First part of its cache keys; searched for when absent. */
  tag?: string | undefined
}

/** An object to search for; `host` only if the URL named one. */
export interface NamedObject extends ObjectRequest {
  host: string | null
}

// oxlint-disable-next-line no-control-regex -- control characters are what is refused
const control = /[\u0000-\u001f\u007f]/
const fullAddress = /^http:\/\/([^/?#]*)(\/[^#]*|\?[^#]*)?(#.*)?$/i
const hostPattern = /^[a-z0-9]([a-z0-9._-]{0,251}[a-z0-9])?$/i
const tagPattern = /^[^\s/"\\]{1,255}$/

const refuse = (text: string) => new AppError('invalid', text)

/** Host and request target of a URL or path entered by hand. Throws `invalid` with the reason. */
export function readUrl(text: string): { host: string | null; target: string } {
  const url = text.trim().toWellFormed()
  if (url === '') throw refuse('url is missing')
  if (url.length > urlMax) throw refuse(`url: at most ${urlMax} characters`)
  if (control.test(url)) throw refuse('url: control characters are not allowed')
  if (url.startsWith('/')) return { host: null, target: url.replace(/#.*$/, '') }
  if (/^https:/i.test(url)) throw refuse('url: the cache holds only objects fetched over http')
  const [, authority, target] = fullAddress.exec(url) ?? []
  if (authority === undefined) throw refuse('url must be a full http address or a path')
  const host = authority.replace(/:\d{1,5}$/, '').toLowerCase()
  if (!hostPattern.test(host)) throw refuse('url: its host is not valid')
  if (target === undefined) return { host, target: '/' }
  return { host, target: target.startsWith('/') ? target : `/${target}` }
}

/** Parses the request and finds the object's tag if none is given. Throws `invalid`, `notFound`. */
export async function nameObject(deps: CacheParts, asked: AskedObject): Promise<NamedObject> {
  const { name: datasource } = datasourceNamed(deps.config, asked.datasource)
  await deps.datasources.requireClearScheme(datasource)
  const { host, target } = readUrl(asked.url)
  const path = normalisedPath(target)
  if (!path.startsWith('/')) throw refuse('url: its path is not valid')
  const object = { datasource, host, target, path }
  const tag = asked.tag?.trim() ?? ''
  if (tag === '') return { ...object, tag: await findTag(deps, object) }
  if (!tagPattern.test(tag)) throw refuse('tag cannot contain blanks, slashes or quotes')
  return { ...object, tag }
}

async function findTag(deps: CacheParts, object: Omit<NamedObject, 'tag'>): Promise<string> {
  const contents = await deps.cache.contents()
  const own = contents.filter(({ datasource }) => datasource === object.datasource)
  const known = new Set(own.map(({ tag }) => tag))
  if (object.host !== null) known.add(object.host)
  const tags = await deps.cache.doctor.tagsOf(object, [...known].slice(0, tagsMax))
  const [only, ...others] = tags
  if (only === undefined) {
    throw refuse('tag is missing, and no cache file of this object was found that has one')
  }
  if (others.length === 0) return only
  throw refuse(`tag is missing: the object is stored under ${tags.slice(0, 10).join(', ')}`)
}
