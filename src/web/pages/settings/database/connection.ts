/** Where another instance's database is. */
export interface Connection {
  host: string
  port: string
  database: string
  user: string
  password: string
}

export const usualConnection: Connection = {
  host: '',
  port: '5432',
  database: 'lancache',
  user: 'lancache',
  password: '',
}

const quoted = (value: string) => `"${value.replaceAll('"', '""')}"`

/** The connection string that the API takes. */
export const connectionText = ({ host, port, database, user, password }: Connection): string =>
  [
    `Host=${quoted(host.trim())}`,
    `Port=${quoted(port.trim())}`,
    `Database=${quoted(database.trim())}`,
    `Username=${quoted(user.trim())}`,
    `Password=${quoted(password)}`,
  ].join(';')
