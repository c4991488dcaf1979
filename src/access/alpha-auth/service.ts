import { choiceOf } from '../../core/http/choice.ts'
import type { AccessParts } from '../parts.ts'
import { AppError } from '../../core/http/errors.ts'
import { createAlphaAccount } from './account.ts'
import type { AlphaAuthStatus, AlphaLoginBody, AlphaLoginReport, AlphaModeBody } from './model.ts'
import { codeReport, modeReport, refusalTexts, signedInReport } from './report.ts'

type Parts = Pick<AccessParts, 'alpha' | 'clock' | 'credentials' | 'log' | 'settings'>

const modes = ['anonymous', 'authenticated'] as const

/** The installation's one Steam sign-in. */
export function alphaAuthService({ alpha, clock, credentials, log, settings }: Parts) {
  const account = createAlphaAccount({ clock, credentials })

  function report(): AlphaLoginReport {
    const mode = settings.get('alpha.authMode')
    if (mode === null)
      throw new AppError('invalid', 'Choose the anonymous or authenticated mode for Steam first')
    return modeReport(mode, account.username())
  }

  return {
    /** A stored sign-in can no longer be used. */
    hasExpired: () => account.hasExpired(),

    status(): AlphaAuthStatus {
      const mode = settings.get('alpha.authMode') ?? ''
      const username = account.username()
      const isKnown = username !== ''
      const isConnected = account.isUsable()
      const known = { isAuthenticated: isKnown, hasStoredCredentials: isKnown }
      return { mode, authMode: mode, username, isConnected, ...known }
    },

    /**
     * Runs to completion even if the caller disconnects: the next call finds it done. Throws 400
     * with a reason when Steam refuses.
     */
    async login(body: AlphaLoginBody): Promise<AlphaLoginReport> {
      const accountName = body.username?.trim() ?? ''
      const password = body.password ?? ''
      if (accountName === '' || password === '') return report()
      if (alpha.login.isBusy())
        throw new AppError('invalid', 'Another Steam sign-in is in progress; wait until it ends')
      const code = (body.twoFactorCode || body.emailCode || '').toUpperCase()
      const outcome = await alpha.login.signIn({
        accountName,
        password,
        code: code === '' ? null : code,
        allowsPhone: body.allowMobileConfirmation ?? true,
        guardToken: account.guardToken(accountName),
      })
      if (outcome.kind === 'codeNeeded') return codeReport(outcome)
      if (outcome.kind === 'refused') {
        log.info({ reason: outcome.reason, result: outcome.result }, 'the Steam sign-in failed')
        throw new AppError('invalid', refusalTexts[outcome.reason])
      }
      account.keep(outcome)
      settings.set('alpha.authMode', 'authenticated')
      log.info('signed in on Steam')
      if (body.autoStartCatalogRebuild === true) await alpha.searchNames()
      return signedInReport(outcome.accountName)
    },

    chooseMode({ mode: chosen }: AlphaModeBody) {
      const mode = choiceOf(modes, chosen?.trim())
      if (mode === undefined) {
        throw new AppError('invalid', 'The mode is missing or unknown: anonymous or authenticated')
      }
      settings.set('alpha.authMode', mode)
      const how = mode === 'anonymous' ? 'without an account' : 'with an account'
      return { success: true, message: `Steam is used ${how}`, mode }
    },

    /** Removes the account and aborts a sign-in that is running. */
    logout() {
      alpha.login.cancel()
      const wasSignedIn = account.forget()
      if (settings.get('alpha.authMode') === 'authenticated') {
        settings.set('alpha.authMode', 'anonymous')
      }
      if (wasSignedIn) log.info('signed out on Steam')
      const message = wasSignedIn ? 'Signed out on Steam' : 'No Steam account was signed in'
      return { success: true, message }
    },
  }
}

export type AlphaAuthService = ReturnType<typeof alphaAuthService>
