import { Toast } from '@base-ui/react/toast';
import { CircleCheck, TriangleAlert, X } from 'lucide-react';
import { RequestId } from './request-id.tsx';
import type { ToastText } from './toast.ts';

const manager = Toast.createToastManager<Pick<ToastText, 'requestId'>>();

export function addToast({ title, description, requestId, kind }: ToastText): void {
  manager.add({
    title,
    type: kind,
    ...(requestId !== undefined && { data: { requestId } }),
    ...(description !== undefined && { description }),
    // Not of high priority: that would hide its link and button from screen readers.
    ...(kind === 'error' && { timeout: 0 }),
  });
}

export function ToastViewport() {
  return (
    <Toast.Provider toastManager={manager} timeout={5_000}>
      <Toast.Portal>
        <Toast.Viewport className="pointer-events-none fixed right-4 bottom-4 left-4 z-50 flex flex-col items-end gap-2 outline-none">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList() {
  const { toasts } = Toast.useToastManager<Pick<ToastText, 'requestId'>>();
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      className="pointer-events-auto flex w-full max-w-md items-start gap-3 rounded-card border bg-raised p-3 shadow-raised"
    >
      {toast.type === 'error' ? (
        <TriangleAlert className="mt-0.5 size-4 shrink-0 text-danger" aria-hidden />
      ) : (
        <CircleCheck className="mt-0.5 size-4 shrink-0 text-accent" aria-hidden />
      )}
      <Toast.Content className="min-w-0 flex-1">
        <Toast.Title className="font-medium" />
        <Toast.Description className="mt-0.5 text-muted break-words" />
        {toast.data?.requestId !== undefined && (
          <p className="mt-1 text-xs text-muted">
            Request <RequestId id={toast.data.requestId} />
          </p>
        )}
      </Toast.Content>
      <Toast.Close aria-label="Close" className="rounded-control p-1 text-muted hover:bg-sunken">
        <X className="size-4" aria-hidden />
      </Toast.Close>
    </Toast.Root>
  ));
}
