import { useMutation } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { useId, useState, type ReactNode } from 'react'
import { useAddresses, useHostnames } from '../../../api/client-queries.ts'
import { shortName } from '../../../app/clients/tree.ts'
import { api, unwrap } from '../../../api/client.ts'
import { refusalText } from '../../../api/refusal-text.ts'
import { entriesOf, looksLikeAddress } from '../../../app/clients/draft.ts'
import { Button, verbatim, Form } from '../../../components/form-controls.tsx'
import { t } from '../../../locales/translate.ts'

/** The host name of a client, where it has one. */
export function useHostOf() {
  const hostnames = useHostnames().data?.hostnames
  return (ip: string) => shortName(hostnames?.[ip])
}

const seenIn = { span: '30d' } as const

/** Every client of the last month. */
export function useKnownClients() {
  const hostOf = useHostOf()
  const addresses = useAddresses(seenIn).data ?? []
  return addresses.map(({ clientIp }) => ({ ip: clientIp, name: hostOf(clientIp) }))
}

interface AddAddressProps {
  label: string
  action: string
  /** Suggested while typing, the first few as buttons. */
  known: ReturnType<typeof useKnownClients>
  onAdd: (ips: string[]) => void
  isBusy?: boolean
  children?: ReactNode
}

/** Shown as buttons; the rest is suggested while typing. */
const shownMax = 6

class NoAddress extends Error {}

/** Keeps addresses; resolves host names on this network. */
async function resolved(entry: string): Promise<string[]> {
  if (looksLikeAddress(entry)) return [entry]
  const { addresses, reason } = await unwrap(
    api.clients.hostnames.resolve.post({ hostname: entry }),
  )
  if (addresses.length > 0) return addresses
  throw new NoAddress(`${entry}: ${t(`resolve.reason.${reason}`)}`)
}

/** Adds clients by address or host name: typed, pasted or picked. */
export function AddAddress(props: AddAddressProps) {
  const { label, action, known, onAdd, isBusy = false, children } = props
  const id = useId()
  const [text, setText] = useState('')
  const add = useMutation({
    mutationFn: async () => (await Promise.all(entriesOf(text).map(resolved))).flat(),
    onSuccess: (ips) => {
      onAdd(ips)
      setText('')
    },
  })
  const submit = () => {
    if (entriesOf(text).length > 0) add.mutate()
  }
  const problem =
    add.error instanceof NoAddress
      ? add.error.message
      : add.error === null
        ? null
        : refusalText(add.error)
  return (
    <Form onSubmit={submit}>
      <label htmlFor={id} className="mb-1.5 block text-small font-medium">
        {label}
      </label>
      <div className="flex flex-wrap gap-2 [&_select]:h-[38px]">
        <input
          id={id}
          className={clsx(
            'input min-w-[160px] flex-1',
            children !== undefined && 'max-sm:basis-full',
          )}
          list={`${id}-known`}
          {...verbatim}
          placeholder={t('address.placeholder')}
          value={text}
          aria-invalid={problem !== null}
          aria-describedby={`${id}-problem`}
          onChange={({ target }) => setText(target.value)}
        />
        <datalist id={`${id}-known`}>
          {known.map(({ ip, name }) => (
            <option key={ip} value={ip}>
              {name ?? ip}
            </option>
          ))}
        </datalist>
        {children}
        <Button
          type="submit"
          className="h-[38px]"
          disabled={isBusy || add.isPending || text.trim() === ''}
        >
          {action}
        </Button>
      </div>
      <p id={`${id}-problem`} role="status" className="mt-1.5 text-small text-bad empty:hidden">
        {problem}
      </p>
      <Suggestions known={known} isBusy={isBusy} onPick={(ip) => onAdd([ip])} />
    </Form>
  )
}

interface SuggestionsProps {
  known: AddAddressProps['known']
  isBusy: boolean
  onPick: (ip: string) => void
}

function Suggestions({ known, isBusy, onPick }: SuggestionsProps) {
  if (known.length === 0) return null
  return (
    <div role="group" aria-label={t('address.recent')} className="mt-2 flex flex-wrap gap-1.5">
      {known.slice(0, shownMax).map(({ ip, name }) => (
        <Button
          key={ip}

          className="h-7 px-2.5 text-small"
          title={ip}
          disabled={isBusy}
          onClick={() => onPick(ip)}
        >
          + {name ?? ip}
        </Button>
      ))}
    </div>
  )
}
