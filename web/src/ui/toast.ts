import { describeError } from './error-text.ts';

/** What is shown at the lower edge of the page, over everything, for a while. */
export interface ToastText {
  readonly title: string;
  readonly description?: string;
  readonly kind: 'done' | 'error';
}

/** Says that something was done. */
export function toastDone(title: string, description?: string): void {
  show({ title, kind: 'done', ...(description !== undefined && { description }) });
}

/** Says that something was not done, why, and by which request; stays until it is closed. */
export function toastError(title: string, error: unknown): void {
  const { message, hint, requestId } = describeError(error);
  const parts = [message, hint, requestId && `Request ${requestId}`];
  show({ title, description: parts.filter(Boolean).join(' '), kind: 'error' });
}

/** What shows them comes after the first page. */
function show(toast: ToastText): void {
  void import('./toast-viewport.tsx').then(({ addToast }) => addToast(toast));
}
