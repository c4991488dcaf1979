import { Modal } from '../components/modal.tsx'
import { t, type Key } from '../locales/translate.ts'

const shortcuts: readonly (readonly [keys: string, does: Key])[] = [
  ['Ctrl K', 'shortcuts.palette'],
  ['/', 'shortcuts.search'],
  ['↑ ↓', 'shortcuts.rows'],
  ['Enter', 'shortcuts.open'],
  ['← →', 'shortcuts.tree'],
  ['Esc', 'shortcuts.close'],
  ['?', 'shortcuts.help'],
]

/** All keys that work everywhere. */
export const Shortcuts = ({ onClose }: { onClose: () => void }) => (
  <Modal title={t('shortcuts.title')} isOpen onClose={onClose} place="top">
    <dl className="space-y-2.5 px-5 pt-4 pb-5">
      {shortcuts.map(([keys, does]) => (
        <div key={does} className="flex items-center justify-between gap-6">
          <dt>{t(does)}</dt>
          <dd>
            <kbd className="rounded border border-line px-1.5 py-0.5 font-sans text-small">
              {keys}
            </kbd>
          </dd>
        </div>
      ))}
    </dl>
  </Modal>
)
