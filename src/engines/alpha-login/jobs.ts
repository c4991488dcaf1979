import { PendingSignIn } from './pending-sign-in.ts'
import type { SignInRequest } from './contract.ts'

const signIns = new PendingSignIn()

/** What the worker does for the main thread. */
export const alphaLoginJobs = {
  signIn: (request: SignInRequest) => signIns.signIn(request),
}

export type AlphaLoginJobs = typeof alphaLoginJobs
