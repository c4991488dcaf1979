import { useEffect, type ReactNode } from 'react'
import { Logo } from '../../app/logo.tsx'

interface FrameProps {
  title: string
  lead: string
  isWide?: boolean
  children: ReactNode
}

/** The quiet page around sign-in and set-up. */
export function Frame({ title, lead, isWide = false, children }: FrameProps) {
  useEffect(() => {
    document.title = `${title} · Larder`
  }, [title])
  return (
    <main className="grid min-h-dvh grid-cols-[minmax(0,1fr)] place-items-center px-4 py-10">
      <div className={isWide ? 'w-full max-w-[640px]' : 'w-full max-w-[420px]'}>
        <p className="mb-6 flex items-center justify-center gap-2.5 text-[17px] font-bold">
          <Logo size={24} />
          Larder
        </p>
        <div className="card p-6 sm:p-7">
          <h1 className="text-title font-semibold">{title}</h1>
          <p className="mt-1 mb-5 text-dim">{lead}</p>
          {children}
        </div>
      </div>
    </main>
  )
}
