import { X } from 'lucide-react'
import { Modal, type ModalProps } from './modal.tsx'
import { t } from '../locales/translate.ts'

/** One entry of a list, opened beside it; full screen on phones. */
export const SidePanel = ({ children, ...modal }: Omit<ModalProps, 'place'>) => (
  <Modal {...modal} place="side">
    <div className="flex-1 overflow-y-auto p-5">{children}</div>
    <button
      type="button"
      onClick={modal.onClose}
      aria-label={t('action.close')}
      className="absolute top-4 right-4 rounded-control p-2 text-dim hover:bg-raise"
    >
      <X size={16} />
    </button>
  </Modal>
)
