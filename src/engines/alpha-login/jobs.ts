import { LoginDesk } from './desk.ts'
import type { SignInRequest } from './contract.ts'

const desk = new LoginDesk()

/** What the worker does for the main thread. */
export const alphaLoginJobs = {
  signIn: (request: SignInRequest) => desk.signIn(request),
}

export type AlphaLoginJobs = typeof alphaLoginJobs
