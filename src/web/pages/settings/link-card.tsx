import { api, unwrap } from '../../api/eden.ts'
import { keys } from '../../api/keys.ts'
import { oidcProblem, useOidc } from '../../api/oidc.ts'
import { useSave } from '../../app/use-save.ts'
import { Card } from '../../components/card.tsx'
import { Action } from '../../components/setting-controls.tsx'
import { Row, StateLine } from '../../components/setting.tsx'
import { t } from '../../locales/translate.ts'

/** Whether the user's own account can also sign in through the provider. */
export function LinkCard() {
  const { data } = useOidc()
  const saving = useSave({ stale: [keys.oidc] })
  if (data === undefined || data.label === null) return null
  const { label: name, isLinked } = data
  const problem = oidcProblem()
  const link = async () => {
    const { url } = await unwrap(api.ext.oidc.link.post({ returnPath: location.pathname }))
    location.assign(url)
  }
  return (
    <Card title={t('oidc.linkTitle', { name })} note={t('oidc.linkNote')}>
      <Row
        title={t(isLinked ? 'oidc.linked' : 'oidc.notLinked')}
        note={problem !== null && <StateLine tone="attention">{t(problem)}</StateLine>}
      >
        {isLinked ? (
          <Action
            label={t('oidc.unlink')}
            run={() => unwrap(api.ext.oidc.link.delete())}
            saving={saving}
          />
        ) : (
          <Action label={t('oidc.link')} run={link} saving={saving} />
        )}
      </Row>
    </Card>
  )
}
