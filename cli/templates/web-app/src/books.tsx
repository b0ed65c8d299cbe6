import { TrellisError } from '@trellis/client';
import { useEndpoint, useTrellis } from '@trellis/client/react';
import { useEffect, useState, type ReactNode, type SubmitEvent } from 'react';
import { Failure } from './failure.tsx';

export function Books({ onExpired }: { readonly onExpired: () => void }): ReactNode {
  const [author, setAuthor] = useState('');
  // Name, body and answer have the types of the endpoint: see workspace.ts.
  const { data: books, error, isLoading, refetch } = useEndpoint('books/by-author', { author });
  const isExpired = error instanceof TrellisError && error.code === 'invalid_token';
  useEffect(() => {
    if (isExpired) onExpired();
  }, [isExpired, onExpired]);
  return (
    <section>
      <label>
        Author <input value={author} onChange={({ target }) => setAuthor(target.value)} />
      </label>
      <Failure error={error} />
      <ul aria-label="Books" aria-busy={isLoading}>
        {books?.map(({ UID, Title, AuthorName }) => (
          <li key={UID}>
            <cite>{Title}</cite> by {AuthorName}
          </li>
        ))}
      </ul>
      {books?.length === 0 && <p>No books yet.</p>}
      <AddBook onAdded={refetch} />
    </section>
  );
}

function AddBook({ onAdded }: { readonly onAdded: () => void }): ReactNode {
  const client = useTrellis();
  const [error, setError] = useState<unknown>();
  const submit = async (event: SubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    const text = (name: string): string => String(new FormData(form).get(name));
    const book = { isbn: text('isbn'), title: text('title'), author: text('author') };
    try {
      await client.run('books/add', book);
      setError(undefined);
      form.reset();
      onAdded();
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <form aria-label="Add a book" onSubmit={(event) => void submit(event)}>
      <input name="isbn" placeholder="ISBN" aria-label="ISBN" required />
      <input name="title" placeholder="Title" aria-label="Title" required />
      <input name="author" placeholder="By" aria-label="By" />
      <button>Add</button>
      <Failure error={error} />
    </form>
  );
}
