import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { openDatabase, readSession, signOut } from './session.ts'
import { SignIn } from './sign-in.tsx'

const root = createRoot(document.getElementById('root') as HTMLElement)
const { user, database } = await readSession()
root.render(
  <StrictMode>
    {user === undefined ? (
      <SignIn />
    ) : (
      <>
        <header>
          Signed in as <strong>{user}</strong>{' '}
          <button type="button" onClick={signOut}>
            Sign out
          </button>
        </header>
        <App db={openDatabase(database)} user={user} />
      </>
    )}
  </StrictMode>,
)
