import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Modal } from './modal.tsx'
import { t } from '../locales/translate.ts'

interface SidePanelProps {
  title: string
  isOpen: boolean
  onClose: () => void
  children: ReactNode
}

/** One entry of a list, opened beside it; full screen on phones. */
export const SidePanel = ({ title, isOpen, onClose, children }: SidePanelProps) => (
  <Modal title={title} isOpen={isOpen} onClose={onClose} place="side">
    <div className="flex-1 overflow-y-auto p-5">{children}</div>
    <button
      type="button"
      onClick={onClose}
      aria-label={t('action.close')}
      className="absolute top-4 right-4 rounded-control p-2 text-dim hover:bg-raise"
    >
      <X size={16} />
    </button>
  </Modal>
)
