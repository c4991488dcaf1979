import { flag } from '../core/settings/rules.ts'

/** Settings of this group, with their form and their default. */
export const clientsSettings = {
  'clients.hasHostnames': flag(false),
  'clients.showsHostnamesToGuests': flag(false),
}
