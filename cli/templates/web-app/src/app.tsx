import { useTrellis } from '@trellis/client/react';
import { useState, type ReactNode, type SubmitEvent } from 'react';
import { Books } from './books.tsx';
import { Chat } from './chat.tsx';
import { Failure } from './failure.tsx';

export function App(): ReactNode {
  const client = useTrellis();
  const [user, setUser] = useState<string>();
  const leave = (): void => {
    setUser(undefined);
    void client.signOut().catch(() => undefined);
  };
  if (user === undefined) return <SignIn onSignedIn={setUser} />;
  return (
    <main>
      <header>
        <h1>Books</h1>
        <button onClick={leave}>Sign out {user}</button>
      </header>
      <Books onExpired={leave} />
      <Chat />
    </main>
  );
}

function SignIn({ onSignedIn }: { readonly onSignedIn: (user: string) => void }): ReactNode {
  const client = useTrellis();
  const [error, setError] = useState<unknown>();
  const submit = async (event: SubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const user = String(form.get('user'));
    try {
      await client.signIn(user, String(form.get('password')));
      onSignedIn(user);
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <main>
      <h1>Books</h1>
      <form onSubmit={(event) => void submit(event)}>
        <label>
          User <input name="user" autoComplete="username" required />
        </label>
        <label>
          Password
          <input name="password" type="password" autoComplete="current-password" required />
        </label>
        <button>Sign in</button>
      </form>
      <Failure error={error} />
    </main>
  );
}
