import { lazy, Suspense } from 'react'
import { useActiveEvents } from '../api/event-queries.ts'
import { loadTexts } from '../locales/translate.ts'

const Frame = lazy(async () => {
  const [{ RunningEvents }] = await Promise.all([
    import('../pages/events/running.tsx'),
    loadTexts('events'),
  ])
  return { default: RunningEvents }
})

/** Loads the banner only while an event is running. */
export function RunningFrame() {
  const { data = [] } = useActiveEvents()
  return data.length === 0 ? null : (
    <Suspense>
      <Frame events={data} />
    </Suspense>
  )
}
