import { useEffect, useRef } from 'react';

/** What the server says of a form as a whole; it is scrolled to, as the form may be long. */
export function FormAlert({ message }: { readonly message: string | undefined }) {
  const alert = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (message !== undefined) alert.current?.focus();
  }, [message]);
  if (message === undefined) return null;
  return (
    <p
      ref={alert}
      role="alert"
      tabIndex={-1}
      className="scroll-mt-16 rounded-control bg-danger-soft px-3 py-2 text-danger"
    >
      {message}
    </p>
  );
}
