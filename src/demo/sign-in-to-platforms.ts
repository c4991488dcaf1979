import type { Visitor } from './visitor.ts'

const betaAuth = '/api/beta/game-mappings/auth'
const epsilonAuth = '/api/epsilon/game-mappings/auth'

/** Signs in to Epic and Xbox, which name games only to an account, the way a visitor does. */
export async function signInToPlatforms(visitor: Visitor): Promise<void> {
  const started = await visitor.request('POST', `${betaAuth}/login`)
  // Form given by the contract.
  const { authorizationUrl } = (await started.json()) as { authorizationUrl: string }
  const page = await fetch(authorizationUrl)
  // As Epic's page shows it.
  const { authorizationCode } = (await page.json()) as { authorizationCode: string }
  await visitor.write('POST', `${betaAuth}/complete`, { authorizationCode })
  // The stand-in approves the code by itself.
  await visitor.write('POST', `${epsilonAuth}/login`)
}
