import { describeError } from './error-text.ts';

/** What is shown at the lower edge of the page, over everything, for a while. */
export interface ToastText {
  readonly title: string;
  readonly description?: string;
  /** The request that failed. */
  readonly requestId?: string;
  readonly kind: 'done' | 'error';
}

/** Says that something was done. */
export function toastDone(title: string, description?: string): void {
  show({ title, kind: 'done', ...(description !== undefined && { description }) });
}

/** Says that something was not done, why, and by which request; stays until it is closed. */
export function toastError(title: string, error: unknown): void {
  const { message, hint, requestId } = describeError(error);
  const description = [message, hint].filter(Boolean).join(' ');
  show({ title, description, kind: 'error', ...(requestId !== undefined && { requestId }) });
}

/** What shows them comes after the first page. */
function show(toast: ToastText): void {
  void import('./toast-viewport.tsx').then(({ addToast }) => addToast(toast));
}
