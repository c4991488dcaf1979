import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StackSettings } from '../../cache/contract.ts'
import { AppError } from '../../core/http/errors.ts'
import type { SystemParts } from '../parts.ts'
import { readDomainList } from './domain-list.ts'
import { fetchArchive } from './fetch-list.ts'
import { createListCopy } from './list-copy.ts'
import type { CacheDomainService, DomainsSource } from './model.ts'
import { errorText } from '../../core/lib/error-text.ts'
import { programFolder } from '../../core/lib/program-files.ts'

const freshMs = 24 * 3_600_000
const usualRepository = 'https://github.com/uklans/cache-domains'
const usualBranch = 'master'
const repository = /^https:\/\/github\.com\/([\w.-]{1,100})\/([\w.-]{1,100}?)(?:\.git)?\/?$/
const branchName = /^[\w.-][\w./-]{0,199}$/

/** The list, and where it comes from. */
export interface Domains {
  services: CacheDomainService[]
  source: DomainsSource
}

/** The list as of November 2026, which Larder brings along; its licence lies beside it. */
function shippedList(): CacheDomainService[] {
  const folder = join(programFolder, 'src/system/status-check/shipped')
  return readDomainList((file) => {
    try {
      return readFileSync(join(folder, file), 'utf8')
    } catch {
      return null
    }
  })
}

const isYes = (text: string | undefined) => /^(?:true|1|yes)$/i.test(text ?? '')

/** Repository and branch of the list, as the caching stack has them. */
const originOf = ({ values }: StackSettings) => ({
  repoUrl: values.get('CACHE_DOMAINS_REPO') || usualRepository,
  branch: values.get('CACHE_DOMAINS_BRANCH') || usualBranch,
})

/** Address of a branch's archive. Throws for anything but a GitHub repository. */
function addressOf(
  baseUrl: string,
  { repoUrl, branch }: { repoUrl: string; branch: string },
): string {
  const [, owner, name] = repository.exec(repoUrl) ?? []
  if (owner === undefined || name === undefined || !branchName.test(branch)) {
    throw new Error('CACHE_DOMAINS_REPO and CACHE_DOMAINS_BRANCH name no GitHub repository')
  }
  return `${baseUrl}/${owner}/${name}/tar.gz/refs/heads/${branch}`
}

type Parts = Pick<SystemParts, 'config' | 'outside' | 'clock' | 'disk' | 'log'>

/** The list of cache domains: fetched at most once a day, else its last copy, else our own. */
export function createDomains({ config, outside, clock, disk, log }: Parts) {
  const copy = createListCopy(config.dataPath)
  let wasFetched = false
  let failure: string | null = null

  /** Notes a failure instead of throwing: an older list serves as well. */
  async function fetchList(stack: StackSettings, signal: AbortSignal): Promise<void> {
    const origin = originOf(stack)
    try {
      const files = await fetchArchive(
        outside,
        addressOf(config.statusCheck.domainsUrl, origin),
        signal,
      )
      const services = readDomainList((name) => files.get(name) ?? null)
      if (services.length === 0) throw new Error('The fetched list holds no host names')
      await copy.keep({ ...origin, fetchedAtUtc: clock.now().toISOString(), services })
      wasFetched = true
      failure = null
    } catch (error) {
      signal.throwIfAborted()
      failure = errorText(error)
      log.info({ reason: failure }, 'the list of cache domains could not be fetched')
    }
  }

  function current(stack: StackSettings): Domains {
    const origin = originOf(stack)
    // A list of another repository is no answer to this one.
    const last = copy.current
    const isOurs = last?.repoUrl === origin.repoUrl && last.branch === origin.branch
    const known = isOurs ? last : null
    const { envFilePath, source } = stack
    return {
      services: known?.services ?? shippedList(),
      source: {
        ...origin,
        envFilePath,
        noFetch: isYes(stack.values.get('NOFETCH')),
        fetchedAtUtc: known?.fetchedAtUtc ?? null,
        fromCache: known === null || !wasFetched,
        envSource: source,
        error: failure,
      },
    }
  }

  return {
    /** The list as it is, without asking anybody. */
    async read(): Promise<Domains> {
      await copy.read()
      return current(await disk.stackSettings())
    },
    /** Fetches the list when it is older than a day. */
    async fresh(signal: AbortSignal): Promise<Domains> {
      const { source } = await this.read()
      const ageMs = clock.now().getTime() - Date.parse(source.fetchedAtUtc ?? '1970-01-01')
      const stack = await disk.stackSettings()
      if (!source.noFetch && ageMs >= freshMs) await fetchList(stack, signal)
      return current(stack)
    },
    /** Throws `conflict` when the caching stack forbids fetching. */
    async refresh(signal: AbortSignal): Promise<Domains> {
      const { source } = await this.read()
      if (source.noFetch) {
        throw new AppError('conflict', 'NOFETCH of the caching stack forbids fetching the list')
      }
      const stack = await disk.stackSettings()
      await fetchList(stack, signal)
      return current(stack)
    },
  }
}

export type DomainLists = ReturnType<typeof createDomains>

/** Whether the stack does not cache this service at all. */
export const isDisabled = ({ values }: StackSettings, service: string): boolean =>
  isYes(values.get(`DISABLE_${service.toUpperCase().replace(/\W/g, '')}`))
