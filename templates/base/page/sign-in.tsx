import { useState } from 'react'
import { signIn } from './session.ts'

export function SignIn() {
  const [problem, setProblem] = useState('')
  return (
    <form
      action={(form) =>
        signIn(String(form.get('user'))).catch((error) => setProblem(error.message))
      }
    >
      <label>
        Your name <input name="user" required pattern="[a-z]{1,32}" autoComplete="off" />
      </label>{' '}
      <button type="submit">Sign in</button>
      <p role="alert">{problem}</p>
    </form>
  )
}
