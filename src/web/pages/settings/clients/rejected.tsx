import type { ClientGroup } from '../../../api/client-queries.ts'
import { keys } from '../../../api/keys.ts'
import { Dot } from '../../../components/figures.tsx'
import { Button } from '../../../components/button.tsx'
import { t } from '../../../locales/translate.ts'
import { assign } from '../../../app/clients/membership.ts'
import { useSave } from '../../../app/use-save.ts'

interface RejectedProps {
  ips: readonly string[]
  /** The target group; null if it does not exist. */
  group: ClientGroup | null
  groups: readonly ClientGroup[]
  onTaken: (ip: string) => void
}

/** Rejected addresses, each with the reason and a remedy. */
export function Rejected({ ips, group, groups, onTaken }: RejectedProps) {
  const { save, isBusy } = useSave({ stale: [keys.clientGroups, ...keys.reports] })
  if (ips.length === 0) return null
  return (
    <section
      role="alert"
      aria-label={t('rejected.title')}
      className="rounded-control border border-fetched bg-raise p-3.5"
    >
      <p className="mb-1.5 flex items-center gap-2 font-medium">
        <Dot tone="attention" />
        {t('rejected.title')}
      </p>
      <ul className="space-y-1.5 text-small">
        {ips.map((ip) => {
          const owner = groups.find(({ memberIps }) => memberIps.includes(ip))
          const isElsewhere = owner !== undefined && owner.id !== group?.id
          return (
            <li key={ip} className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <span className="min-w-0 flex-1 break-words">
                {isElsewhere
                  ? t('rejected.elsewhere', { ip, group: owner.nickname })
                  : owner === undefined
                    ? t('rejected.invalid', { ip })
                    : t('rejected.here', { ip })}
              </span>
              {isElsewhere && group !== null && (
                <Button
                  className="h-7 px-2.5 text-small"
                  disabled={isBusy}
                  onClick={() =>
                    save({
                      run: () => assign(ip, group.id),
                      done: t('rejected.moved', { ip, group: group.nickname }),
                      undo: () => assign(ip, owner.id),
                      after: () => onTaken(ip),
                    })
                  }
                >
                  {t('rejected.move')}
                </Button>
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )
}
