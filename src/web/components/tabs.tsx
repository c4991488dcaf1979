import { Link, type LinkProps } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { t, type Key } from '../locales/translate.ts'

export interface Tab {
  to: NonNullable<LinkProps['to']>
  label: Key
}

/** Tabs of a page, each with an address of its own. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const bar = useRef<HTMLElement>(null)
  // On phones not all tabs fit.
  useEffect(() => {
    const current = bar.current?.querySelector('[aria-current=page]')
    current?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [])
  return (
    <nav
      ref={bar}
      aria-label={label}
      className="-mx-3.5 mb-3.5 flex [scrollbar-width:none] gap-1 overflow-x-auto overflow-y-hidden px-3.5 shadow-[inset_0_-1px_var(--line)] md:mx-0 md:px-0"
    >
      {tabs.map((tab) => (
        <Link
          key={tab.to}
          to={tab.to}
          activeOptions={{ exact: true, includeSearch: false }}
          className="flex h-9 items-center border-b-2 border-transparent px-2.5 whitespace-nowrap text-dim hover:text-text focus-visible:-outline-offset-2 aria-[current=page]:border-cache aria-[current=page]:font-medium aria-[current=page]:text-text"
        >
          {t(tab.label)}
        </Link>
      ))}
    </nav>
  )
}
