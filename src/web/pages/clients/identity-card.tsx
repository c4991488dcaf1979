import { Link } from '@tanstack/react-router'
import { useClientGroups, useExclusions } from '../../api/client-queries.ts'
import { useDevices } from '../../api/queries.ts'
import { isName } from '../../app/clients/draft.ts'
import { groupOf } from '../../app/clients/membership.ts'
import { countingsOf } from '../../app/clients/counting.ts'
import { Card } from '../../components/card.tsx'
import {
  GroupChoice,
  NamePencil,
  CountingChoice,
  DeviceChoice,
} from '../../components/clients/client-controls.tsx'
import { DeviceIcon } from '../../components/clients/device-icon.tsx'
import { Waiting } from '../../components/notice.tsx'
import { Row } from '../../components/setting.tsx'
import { t } from '../../locales/translate.ts'

interface IdentityCardProps {
  ip: string
  name: string
  hostname: string | null
}

/** Host name, group and counting of a client. */
export function IdentityCard({ ip, name, hostname }: IdentityCardProps) {
  const groups = useClientGroups().data
  const rules = useExclusions().data?.rules
  const basis = useDevices().data?.find(({ clientIp }) => clientIp === ip)?.basis
  const held = groupOf(groups, ip)
  const group = held === null || isName(held) ? null : held
  const now = countingsOf(rules ?? []).get(ip) ?? 'counted'
  if (groups === undefined || rules === undefined) {
    return (
      <Card title={t('client.who')}>
        <Waiting rows={3} />
      </Card>
    )
  }
  return (
    <Card title={t('client.who')}>
      <Row title={t('client.address')}>
        <span className="figure flex items-center gap-2">
          <DeviceIcon ip={ip} />
          {ip}
        </span>
      </Row>
      {group === null && (
        <Row title={t('client.name')}>
          {held === null ? (
            <span className="text-dim">{t('client.noOwnName')}</span>
          ) : (
            <span>{held.nickname}</span>
          )}
          <NamePencil ip={ip} />
        </Row>
      )}
      <Row title={t('client.hostname')}>
        {hostname === null ? (
          <Link to="/settings/clients" className="py-0.5 text-dim hover:text-text">
            {t('client.noName')} ›
          </Link>
        ) : (
          <span className="break-all">{hostname}</span>
        )}
      </Row>
      <Row title={t('client.device')} note={t(deviceNotes[basis ?? 'none'])}>
        <DeviceChoice ip={ip} name={name} />
      </Row>
      <Row
        title={t('client.group')}
        note={
          <Link
            to="/settings/clients"
            search={{ open: group === null ? 'new' : String(group.id) }}
            className="link"
          >
            {t(group === null ? 'group.create' : 'client.editGroup')}
          </Link>
        }
      >
        <GroupChoice ip={ip} name={name} groups={groups} />
      </Row>
      <Row title={t('client.counting')} note={t(notes[now])}>
        <CountingChoice ip={ip} name={name} counting={now} />
      </Row>
    </Card>
  )
}

const deviceNotes = {
  chosen: 'device.byChoice',
  name: 'device.byName',
  services: 'device.byServices',
  none: 'device.byNothing',
} as const

const notes = {
  counted: 'counting.countedNote',
  exclude: 'counting.excludeNote',
  hide: 'counting.hideNote',
} as const
