import { useIsAccount } from '../../api/queries.ts'
import { Page as Platforms } from './platforms.tsx'
import { ShelfPage } from './shelf/page.tsx'

/** The games of all accounts; guests prefill with sessions of their own. */
export const Page = () => (useIsAccount() ? <ShelfPage /> : <Platforms />)
