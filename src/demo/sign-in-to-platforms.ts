import type { Visitor } from './visitor.ts'

const betaAuth = '/api/beta/game-mappings/auth'
const epsilonAuth = '/api/epsilon/game-mappings/auth'

const account = '/api/ext/prefill/accounts/beta'

interface Challenge {
  challengeId: string
  authUrl: string
}

/** The code that Epic's page shows to those who have signed in. */
async function codeOf(pageUrl: string): Promise<string> {
  const page = await fetch(pageUrl)
  // As Epic's page shows it.
  const { authorizationCode } = (await page.json()) as { authorizationCode: string }
  return authorizationCode
}

/** Signs in to Epic with the account that prefills. */
export async function signInToPrefill(visitor: Visitor): Promise<void> {
  await visitor.write('POST', `${account}/start`)
  const started = await visitor.request('POST', `${account}/login`)
  // Form given by the contract.
  const { challengeId, authUrl } = (await started.json()) as Challenge
  const credential = await codeOf(authUrl)
  await visitor.write('POST', `${account}/login/credential`, { challengeId, credential })
}

/** Signs in to Epic and Xbox, which name games only to an account, the way a visitor does. */
export async function signInToPlatforms(visitor: Visitor): Promise<void> {
  const started = await visitor.request('POST', `${betaAuth}/login`)
  // Form given by the contract.
  const { authorizationUrl } = (await started.json()) as { authorizationUrl: string }
  const authorizationCode = await codeOf(authorizationUrl)
  await visitor.write('POST', `${betaAuth}/complete`, { authorizationCode })
  // The stand-in approves the code by itself.
  await visitor.write('POST', `${epsilonAuth}/login`)
}
