import { flag, type Declared } from '../core/settings/rules.ts'

/** Settings of this group, with their form and their default. */
export const clientsSettings = {
  'clients.hasHostnames': flag(false),
  'clients.showsHostnamesToGuests': flag(false),
}

declare module '../core/settings/rules.ts' {
  interface SettingRules extends Declared<typeof clientsSettings> {}
}
