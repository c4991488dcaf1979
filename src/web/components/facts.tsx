/** Label and value pairs; empty values are omitted. */
export type Fact = readonly [label: string, value: string | null]

export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="mb-5 grid grid-cols-[auto_1fr] gap-x-5 gap-y-1 text-[13px]">
      {facts.map(
        ([label, value]) =>
          value !== null &&
          value !== '' && (
            <div key={label} className="contents">
              <dt className="text-dim">{label}</dt>
              <dd className="figure min-w-0 break-words">{value}</dd>
            </div>
          ),
      )}
    </dl>
  )
}
