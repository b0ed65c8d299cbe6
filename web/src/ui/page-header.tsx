import { type ReactNode, useEffect, useRef } from 'react';

interface PageHeaderProps {
  readonly title: string;
  readonly description?: ReactNode;
  /** Buttons, at the right. */
  readonly actions?: ReactNode;
}

/** The page whose heading was there last. */
const last: { path: string | undefined } = { path: undefined };

/**
 * The title of a page, which is that of the browser's tab too. When it is that of another page than
 * before it gets the focus, so that it is read out and Tab goes on from there.
 */
export function PageHeader({ title, description, actions }: PageHeaderProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Trellis`;
    const [path] = location.hash.split('?');
    const isNew = last.path !== undefined && last.path !== path;
    last.path = path;
    if (isNew && !isTyping()) heading.current?.focus({ preventScroll: true });
  }, [title]);
  return (
    <header className="mb-5 flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
      <div className="min-w-0">
        <h1
          ref={heading}
          tabIndex={-1}
          className="rounded-control text-xl leading-tight font-semibold break-words"
        >
          <bdi>{title}</bdi>
        </h1>
        {description !== undefined && <p className="mt-1 max-w-prose text-muted">{description}</p>}
      </div>
      {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </header>
  );
}

/** Who writes, or has a dialog open, is not taken away from there. */
function isTyping(): boolean {
  const { activeElement } = document;
  if (activeElement === null) return false;
  const isField = activeElement.matches('input, textarea, select');
  const isInDialog = activeElement.closest('[role=dialog], [role=alertdialog]') !== null;
  // The editor of code is in one.
  return isField || isInDialog || activeElement.shadowRoot !== null;
}
