import { createHash, timingSafeEqual } from 'node:crypto'
import {
  EAuthSessionGuardType,
  EAuthTokenPlatformType,
  EResult,
  LoginSession,
  type ITransport,
} from 'steam-session'
import { orLate } from '../../core/lib/within.ts'
import type { CodeKind, SignInOutcome, SignInRequest } from './contract.ts'
import { isEnded, isWrongCode, refusalOf, resultOf } from './results.ts'

/** How long an attempt stays open for a code or a late tap; Steam's own limit is similar. */
export const attemptLifeMs = 5 * 60_000
/** After the last proof, Steam returns the token within one poll. */
const tokenWaitMs = 30_000

const digest = (text: string) => createHash('sha256').update(text).digest()

const needsTap = new Set([
  EAuthSessionGuardType.DeviceConfirmation,
  EAuthSessionGuardType.EmailConfirmation,
])

/** One sign-in attempt, from the password to the token; may span several calls. */
export class LoginAttempt {
  readonly #session: LoginSession
  readonly #accountName: string
  readonly #passwordDigest: Buffer
  readonly #ending = Promise.withResolvers<SignInOutcome>()
  #actions: EAuthSessionGuardType[] = []
  /** Domain of the address that a code was sent to. */
  emailDomain: string | null = null
  /** Steam's final answer, kept even when no call was waiting for it. */
  #outcome: SignInOutcome | null = null

  constructor(request: SignInRequest, transport: ITransport | null) {
    this.#accountName = request.accountName
    this.#passwordDigest = digest(request.password)
    this.#session = new LoginSession(EAuthTokenPlatformType.SteamClient, {
      machineId: true,
      machineFriendlyName: 'Larder',
      ...(transport === null ? {} : { transport }),
    })
    this.#session.loginTimeout = attemptLifeMs
    this.#session.on('authenticated', () => this.#finish(this.#signedIn()))
    this.#session.on('timeout', () => this.#finish(this.#expired()))
    this.#session.on('error', (error: unknown) =>
      this.#finish(isEnded(error) ? this.#expired() : refusalOf(error)),
    )
  }

  belongsTo({ accountName, password }: SignInRequest): boolean {
    const isSame = accountName.toLowerCase() === this.#accountName.toLowerCase()
    return isSame && timingSafeEqual(this.#passwordDigest, digest(password))
  }

  /** Sends name and password to Steam. Throws the library's errors; a wrong code is an outcome. */
  async start(request: SignInRequest, startWaitMs: number): Promise<void> {
    const { accountName, password, code, guardToken } = request
    const details = {
      accountName,
      password,
      ...(code === null ? {} : { steamGuardCode: code }),
      ...(guardToken === null ? {} : { steamGuardMachineToken: guardToken }),
    }
    const response = await orLate(this.#session.startWithCredentials(details), startWaitMs, null)
    if (response === null) throw new Error('Steam does not answer')
    const actions = response.validActions ?? []
    this.#actions = actions.map(({ type }) => type)
    const mail = actions.find(({ type }) => type === EAuthSessionGuardType.EmailCode)
    this.emailDomain = mail?.detail ?? null
  }

  /** Waits for the rest of the attempt once it has started. */
  async settle(request: SignInRequest): Promise<SignInOutcome> {
    if (this.#actions.length === 0) return this.#token()
    const wantsCode = this.#wantsCode()
    const mayWait = request.allowsPhone || !wantsCode
    const hasSentCode = request.code !== null && wantsCode
    if (hasSentCode || !mayWait || !this.offersTap()) {
      return this.#codeNeeded({ isWrong: hasSentCode })
    }
    return orLate(this.#ending.promise, request.phoneWaitMs, this.#codeNeeded({}))
  }

  /** A later call for the same attempt: sends the code, or keeps waiting for the phone. */
  async resume(request: SignInRequest): Promise<SignInOutcome> {
    if (this.#outcome !== null) return this.#outcome
    if (request.code === null) return this.settle(request)
    try {
      await this.#session.submitSteamGuardCode(request.code)
    } catch (error) {
      if (isWrongCode(error)) return this.#codeNeeded({ isWrong: true })
      // Already confirmed, for example by a tap at the same moment.
      if (resultOf(error) === EResult.DuplicateRequest) return this.#token()
      return isEnded(error) ? this.#finish(this.#expired()) : refusalOf(error)
    }
    return this.#token()
  }

  /** Whether a call without a code can succeed. */
  canDoWithoutCode(): boolean {
    return this.#outcome !== null || this.offersTap()
  }

  /** Steam ended the attempt without a token; only a new attempt helps. */
  hasFailed(): boolean {
    return this.#outcome !== null && this.#outcome.kind !== 'signedIn'
  }

  /** Whether the attempt can be confirmed elsewhere, without a code. */
  offersTap(): boolean {
    return this.#actions.some((type) => needsTap.has(type))
  }

  close(): void {
    this.#session.cancelLoginAttempt()
  }

  #token(): Promise<SignInOutcome> {
    return orLate(this.#ending.promise, tokenWaitMs, {
      kind: 'refused',
      reason: 'busy',
      result: null,
    })
  }

  #finish(outcome: SignInOutcome): SignInOutcome {
    this.#outcome ??= outcome
    this.#ending.resolve(this.#outcome)
    return this.#outcome
  }

  #signedIn(): SignInOutcome {
    const { accountName, refreshToken, steamGuardMachineToken } = this.#session
    return {
      kind: 'signedIn',
      accountName: accountName === '' ? this.#accountName : accountName,
      refreshToken,
      guardToken: steamGuardMachineToken ?? null,
    }
  }

  #wantsCode(): boolean {
    const codes = [EAuthSessionGuardType.DeviceCode, EAuthSessionGuardType.EmailCode]
    return this.#actions.some((type) => codes.includes(type))
  }

  #codeKind(): CodeKind {
    return this.#actions.includes(EAuthSessionGuardType.EmailCode) ? 'email' : 'device'
  }

  #codeNeeded({ isWrong = false }): SignInOutcome {
    return { kind: 'codeNeeded', code: this.#codeKind(), isWrong, isExpired: false }
  }

  #expired(): SignInOutcome {
    return { kind: 'codeNeeded', code: this.#codeKind(), isWrong: false, isExpired: true }
  }
}
