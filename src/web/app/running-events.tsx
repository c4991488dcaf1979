import { lazy, Suspense, useState } from 'react'
import { useActiveEvents } from '../api/event-queries.ts'
import { loadTexts } from '../locales/translate.ts'

const Frame = lazy(async () => {
  const [{ RunningEvents }] = await Promise.all([
    import('../pages/events/running.tsx'),
    loadTexts('events'),
  ])
  return { default: RunningEvents }
})

/** Loads the banner only while an event is running; its place is kept from visit to visit. */
export function RunningFrame() {
  const { data } = useActiveEvents()
  const [wasRunning] = useState(
    () => Date.parse(localStorage.getItem('larder.running') ?? '') > Date.now(),
  )
  const place = <div data-running className="h-(--strip)" />
  if (data === undefined) return wasRunning && place
  return (
    data.length > 0 && (
      <Suspense fallback={place}>
        <Frame events={data} />
      </Suspense>
    )
  )
}
