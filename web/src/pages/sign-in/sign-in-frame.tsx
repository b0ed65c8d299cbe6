import type { ReactNode } from 'react';

/** The card in the middle of the pages that need no session. */
export function SignInFrame({ children }: { readonly children: ReactNode }) {
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center p-4">
      <div className="mb-6 flex items-center gap-3">
        <img src="./icon.svg" alt="" className="size-10" />
        <span className="text-2xl font-semibold">Trellis</span>
      </div>
      <div className="w-full max-w-sm rounded-card border bg-surface p-6">{children}</div>
    </main>
  );
}
