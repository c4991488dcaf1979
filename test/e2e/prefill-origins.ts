import { practiceGame, practiceOrigin } from '../support/practice-origin.ts'

const games = ['440', '570', '730'].map((id) => practiceGame(id, { objects: 4, bytes: 50_000 }))
/** Where the daemons of these tests sign in and get their games. */
export const alpha = practiceOrigin({
  games,
  login: {
    displayName: 'anna',
    steps: [
      { credentialType: 'username' },
      { credentialType: 'password', expected: 'right' },
      { credentialType: '2fa', expected: 'AB123' },
    ],
  },
})
export const beta = practiceOrigin({
  games: [practiceGame('fn')],
  login: {
    displayName: 'berta',
    steps: [
      { credentialType: 'authorization-url', authUrl: 'https://sign-in.example.test/x' },
      { credentialType: 'steamguard', email: 'mail.example.test', expected: 'Q7' },
    ],
  },
})
export const epsilon = practiceOrigin({
  games: [practiceGame('fh5')],
  login: {
    displayName: 'emil',
    steps: [
      // The page answers by itself, once.
      { credentialType: 'device-confirmation', expected: 'confirm' },
      {
        credentialType: 'device-code',
        userCode: 'WXYZ-1234',
        authUrl: 'https://device.example.test/',
      },
    ],
  },
})
