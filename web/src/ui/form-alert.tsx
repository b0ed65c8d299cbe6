/** What the server says of a form as a whole. */
export function FormAlert({ message }: { readonly message: string | undefined }) {
  if (message === undefined) return null;
  return (
    <p role="alert" className="rounded-control bg-danger-soft px-3 py-2 text-danger">
      {message}
    </p>
  );
}
