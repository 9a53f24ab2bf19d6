use super::*;
use crate::ModelPaths;
use crate::scene::{Matter, Scene, SceneRun};

/// An arm of two links on a column, a frame at its end, and a slider.
const ARM: &str = r#"<robot name="arm">
  <link name="base"><collision><geometry><cylinder radius="0.1" length="0.2"/></geometry></collision></link>
  <link name="upper">
    <inertial><origin xyz="0 0 0.5"/><mass value="2"/><inertia ixx="0.2" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.01"/></inertial>
    <collision><origin xyz="0 0 0.5"/><geometry><box size="0.1 0.1 1"/></geometry></collision>
  </link>
  <link name="lower">
    <inertial><origin xyz="0 0 0.4"/><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.01"/></inertial>
    <visual><origin xyz="0 0 0.4"/><geometry><capsule radius="0.05" length="0.7"/></geometry></visual>
  </link>
  <link name="tool"><collision><origin xyz="0 0 0.05"/><geometry><sphere radius="0.05"/></geometry></collision></link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><origin xyz="0 0 0.1" rpy="0 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2.5" effort="10" velocity="1"/>
  </joint>
  <joint name="elbow" type="continuous">
    <parent link="upper"/><child link="lower"/><origin xyz="0 0 1" rpy="0 1.5707963267948966 0"/><axis xyz="0 1 0"/>
    <dynamics damping="0.5"/>
  </joint>
  <joint name="flange" type="fixed"><parent link="lower"/><child link="tool"/><origin xyz="0 0 0.8"/></joint>
</robot>"#;

fn scene(text: &str, keys: &str) -> Result<Scene, SceneError> {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("arm.urdf"), text).unwrap();
    let toml = format!("title = \"t\"\n[[urdf]]\nfile = \"arm.urdf\"\n{keys}");
    Scene::parse("t.toml", &toml, Some(directory.path()), &ModelPaths::default())
}

fn message(text: &str, keys: &str) -> String {
    scene(text, keys).map(|_| ()).unwrap_err().to_string()
}

#[test]
fn an_arm_stands_hangs_and_keeps_its_joints() {
    let scene = scene(ARM, "fixed = true").unwrap();
    let Matter::Rigid(rigid) = &scene.matter else { panic!("bodies") };
    assert_eq!(rigid.names, ["base", "upper", "lower"], "the tool is a frame of the lower link");
    assert_eq!((rigid.model.joints().len(), rigid.model.masses()[1]), (2, 2.0));
    // z of the file is up: the upper link's centre is 0.6 m above, the elbow turns the lower one along x.
    assert!((rigid.start.p[1] - Vec3::new(0.0, 0.6, 0.0)).norm() < 1e-12, "{}", rigid.start.p[1]);
    assert!((rigid.start.p[2] - Vec3::new(0.4, 1.1, 0.0)).norm() < 1e-12, "{}", rigid.start.p[2]);
    assert_eq!(
        rigid.model.parts().iter().filter(|p| p.body == 2).count(),
        1,
        "touches with what may touch: the tool"
    );
    let mut run = SceneRun::new(scene, &crate::Registry::standard()).unwrap();
    for _ in 0..600 {
        run.advance().unwrap();
    }
    let p = &run.sim.state.bodies.p;
    // The shoulder rests at its limit of 2.5 rad, the damped elbow hangs straight down from there.
    let elbow = Vec3::new(2.5f64.sin(), 0.1 + 2.5f64.cos(), 0.0);
    assert!((p[1] - (elbow + Vec3::y() * 0.1) * 0.5).norm() < 5e-3, "{}", p[1]);
    assert!((p[2] - elbow + Vec3::y() * 0.4).norm() < 0.02, "{}", p[2]);
}

#[test]
fn faults_are_named() {
    assert!(message(ARM, "").contains("\"base\" has no mass"), "{}", message(ARM, ""));
    let wrong = ARM.replace("<child link=\"upper\"/>", "<child link=\"uper\"/>");
    assert!(message(&wrong, "fixed = true").contains("\"shoulder\" names the link \"uper\""));
    let planar = ARM.replace("type=\"continuous\"", "type=\"planar\"");
    assert!(message(&planar, "fixed = true").contains("\"elbow\" is planar"));
    let axis = ARM.replacen("<axis xyz=\"0 1 0\"/>", "<axis xyz=\"0 0 0\"/>", 1);
    assert!(message(&axis, "fixed = true").contains("\"shoulder\" has no axis"));
    let mesh = ARM.replace("<sphere radius=\"0.05\"/>", "<mesh filename=\"package://a/tool.stl\"/>");
    assert!(message(&mesh, "fixed = true").contains("needs the mesh \"package://a/tool.stl\""));
    let mass = ARM.replace("<mass value=\"1\"/>", "<mass value=\"-1\"/>");
    assert!(message(&mass, "fixed = true").contains("mass"), "{}", message(&mass, "fixed = true"));
    assert!(message("<robot", "fixed = true").contains("arm.urdf"));
    let twice = ARM.replace("link name=\"tool\"", "link name=\"lower\"");
    assert!(message(&twice, "fixed = true").contains("twice"));
}

/// What other programs take is taken, and named: an open mesh, moments of no body, none at all, a joint that follows another.
#[test]
fn what_is_not_taken_as_written_is_named() {
    let directory = tempfile::tempdir().unwrap();
    // A pyramid without its base.
    let open = "v 0 0 1\nv 1 0 0\nv 0 1 0\nv -1 0 0\nv 0 -1 0\nf 1 2 3\nf 1 3 4\nf 1 4 5\nf 1 5 2\n";
    std::fs::write(directory.path().join("open.obj"), open).unwrap();
    let text = r#"<robot name="r"><link name="base"/>
  <link name="hand"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
    <collision><geometry><mesh filename="open.obj"/></geometry></collision></link>
  <link name="left"><inertial><mass value="1"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>
    <collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <link name="right"><inertial><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <joint name="wrist" type="revolute"><parent link="base"/><child link="hand"/><axis xyz="0 1 0"/>
    <limit lower="0.2" upper="1" effort="1" velocity="1"/></joint>
  <joint name="l" type="prismatic"><parent link="hand"/><child link="left"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="0.1" effort="1" velocity="1"/></joint>
  <joint name="r" type="prismatic"><parent link="hand"/><child link="right"/><axis xyz="0 -1 0"/>
    <limit lower="0" upper="0.1" effort="1" velocity="1"/><mimic joint="l"/></joint>
</robot>"#;
    std::fs::write(directory.path().join("r.urdf"), text).unwrap();
    let toml = "title = \"t\"\n[[urdf]]\nfile = \"r.urdf\"\nfixed = true\n";
    let scene = Scene::parse("t.toml", toml, Some(directory.path()), &ModelPaths::default()).unwrap();
    let rigid = scene.matter.rigid().unwrap();
    let words = rigid.notices.join("\n");
    for part in
        ["open.obj", "is not closed", "8.000e-1 is added", "\"left\" has no moments", "should follow \"l\""]
    {
        assert!(words.contains(part), "{part}: {words}");
    }
    assert_eq!(rigid.notices.len(), 4, "{words}");
    let mut run = SceneRun::new(scene, &crate::Registry::standard()).unwrap();
    // The wrist starts outside of its limit: it comes back, and no energy comes of it.
    for _ in 0..120 {
        run.advance().unwrap();
        assert!(run.sim.state.bodies.v.iter().all(|v| v.norm() < 7.0));
    }
}
