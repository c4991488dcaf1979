import type { ReadyNews } from '../../core/lib/ready-news.ts'
import { sizeText } from '../../core/lib/size.ts'
import type { Conditions } from './conditions.ts'
import type { NoticeTexts } from './texts.ts'

interface Sink {
  conditions: Conditions
  texts: NoticeTexts
  timeZone: string
}

const board = 'readiness'

function notifyBoard(news: ReadyNews, { conditions, texts, timeZone }: Sink): void {
  const { verdict, games, dueAt, readyAt, signedOut } = news
  const { say } = texts
  const problem = { kind: 'gamesReady', isProblem: true } as const
  const at = (date: Date) =>
    new Intl.DateTimeFormat(texts.locale(), {
      timeZone,
      dateStyle: 'medium',
      timeStyle: 'short',
    }).format(date)
  if (games === 0) return conditions.isOver(board)
  if (verdict === 'ready') {
    const title = say('gamesReady', { count: games })
    return conditions.holds(board, verdict, {
      kind: 'gamesReady',
      isProblem: false,
      title,
      text: '',
    })
  }
  if (verdict === 'noSpace') {
    const [title, text] = [say('gamesNoSpace'), say('gamesNoSpaceText')]
    return conditions.holds(board, verdict, { ...problem, title, text })
  }
  if (signedOut.length > 0 && dueAt !== null) {
    const platforms = signedOut.join(', ')
    const title = say('gamesSignedOut', { platforms })
    const text = say('gamesSignIn')
    return conditions.holds(board, `signedOut ${platforms}`, { ...problem, title, text })
  }
  if (verdict === 'late' && dueAt !== null) {
    const title = say('gamesLate', { due: at(dueAt) })
    const text =
      readyAt === null ? say('gamesLateUnknown') : say('gamesLateText', { ready: at(readyAt) })
    return conditions.holds(board, verdict, { ...problem, title, text })
  }
  // What is not known at the moment is no change.
  if (verdict === 'inTime') conditions.isOver(board)
}

/** Notifies once when the games are ready, when they will not be, and of each new build. */
export function notifyReadiness(news: ReadyNews, sink: Sink): void {
  const { conditions, texts } = sink
  notifyBoard(news, sink)
  for (const { id, name, at, bytes, clients } of news.builds) {
    const title = texts.say('newBuild', { name })
    const text =
      bytes === null
        ? texts.say('newBuildClients', { clients })
        : texts.say('newBuildText', { size: sizeText(bytes), clients })
    const notice = { kind: 'newBuild', isProblem: false, title, text } as const
    conditions.holds(`build ${id}`, at.toISOString(), notice)
  }
}
