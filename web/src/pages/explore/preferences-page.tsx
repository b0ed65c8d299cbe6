import { useViewer } from '../../api/viewer.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { GrantedClients } from './preferences/granted-clients.tsx';
import { ModelBudget } from './preferences/model-budget.tsx';
import { PasswordForm } from './preferences/password-form.tsx';
import { ProfileForm } from './preferences/profile-form.tsx';
import { ThemeForm } from './preferences/theme-form.tsx';

/** What somebody may change about themselves, and what is left to them of the day. */
export function PreferencesPage() {
  const viewer = useViewer();
  return (
    <div className="max-w-2xl">
      <PageHeader title="Preferences" />
      {viewer === undefined ? (
        <Skeleton />
      ) : (
        <div className="flex flex-col gap-4">
          <ProfileForm viewer={viewer} />
          <PasswordForm />
          <ThemeForm />
          <GrantedClients />
          <ModelBudget />
        </div>
      )}
    </div>
  );
}
